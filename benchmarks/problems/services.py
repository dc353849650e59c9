"""Customers: parcels, rented bicycles, telephone contracts and introductions."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, gammainc, ndtr

from .building import two_classes


def late_parcels(random):
    """Distance, weight, carrier, depots and hour of posting: is a parcel on time, late or lost?"""
    carriers, promised = int(random.choice([2, 5, 12])), random.choice([1.5, 2.5, 4.0])
    even, lost = random.choice([1.0, 4.0, 15.0]), random.choice([0.0, 0.01, 0.06])
    speeds, weekend = np.exp(0.4 * random.normal(size=carriers)), random.uniform(0.5, 2)
    careless = random.exponential(size=carriers)

    def draw(generator, n):
        far, weight = generator.gamma(1.5, 250, n), np.exp(generator.normal(0.5, 1, n))
        carrier, depots = generator.integers(0, carriers, n), 1 + generator.poisson(far / 300)
        hour, day = generator.integers(6, 22, n), generator.integers(0, 7, n)
        mean = (0.3 * depots + far / 800) / speeds[carrier] + 0.1 * (weight > 10)
        wait = (hour > 16) * 0.6 + weekend * (day >= 5)
        left = np.maximum(promised - wait, 0)
        # The time on the way is Gamma distributed, of a shape that grows with the depots.
        in_time = gammainc(even * depots, even * depots * left / mean)
        gone = 1 - np.exp(-lost * careless[carrier] * depots)
        X = np.column_stack([far, weight, carrier, depots, hour, day]) * 1.0
        chances = np.stack([(1 - gone) * in_time, (1 - gone) * (1 - in_time), gone], axis=1)
        return X, chances if lost else chances[:, :2]

    return f"carriers={carriers} promised={promised} even={even} lost={lost}", draw


def bike_docks(random):
    """Bicycles at a station, the hour and the weather: is it empty, full or neither soon?"""
    stations, minutes = int(random.choice([1, 6, 30])), random.choice([15, 60, 180])
    shown, busy = random.random() < 0.5, random.uniform(2, 12)
    docks = random.integers(8, 40, stations)
    uphill, peaks = random.normal(size=stations), random.uniform(-4, 4, stations)

    def draw(generator, n):
        station, hour = generator.integers(0, stations, n), generator.uniform(6, 23, n)
        bikes = generator.binomial(docks[station], generator.beta(1, 1, n))
        rain, heat = generator.random(n) < 0.25, generator.normal(14, 7, n)
        rush = np.exp(-0.5 * ((hour - 8) / 1.2) ** 2) - np.exp(-0.5 * ((hour - 17.5) / 1.5) ** 2)
        trips = busy * minutes / 60 * np.where(rain, 0.4, 1) * expit((heat - 8) / 5)
        mean = bikes + trips * (uphill[station] * 0.3 + peaks[station] / 4 * rush)
        spread = np.sqrt(2 * trips + 0.25)
        empty, full = ndtr((0.5 - mean) / spread), ndtr((mean - docks[station] + 0.5) / spread)
        columns = [bikes, docks[station], hour, rain, heat, *([station] if shown else [])]
        if not shown and stations > 1:  # what the number of the station would tell
            columns += [uphill[station], peaks[station]]
        return np.column_stack(columns) * 1.0, np.stack([empty, 1 - empty - full, full], axis=1)

    return f"stations={stations} minutes={minutes} busy={busy:.1f} shown={shown}", draw


def phone_contracts(random):
    """Plan, age of the contract, minutes, bills and complaints: who leaves the company?"""
    plans, extra = int(random.choice([2, 4, 9])), int(random.choice([0, 8, 30]))
    often, sharp = random.choice([0.03, 0.1, 0.4]), random.uniform(0.3, 2.0)
    fees, included = np.sort(random.uniform(8, 60, plans)), np.sort(random.uniform(50, 900, plans))
    slopes = sharp * random.uniform(0.3, 1.2, 4)

    def draw(generator, n):
        plan, months = generator.integers(0, plans, n), generator.integers(1, 72, n)
        minutes = generator.gamma(2, included[plan] / 2.2)
        over = np.maximum(minutes - included[plan], 0)
        bill, calls = fees[plan] + 0.15 * over, generator.poisson(0.6 + 0.004 * over)
        bound = months % 24 < 21  # a contract of two years can end in its last months only
        log_rate = slopes[0] * np.log(bill / fees[plan]) * 2 + slopes[1] * (calls >= 3)
        log_rate += slopes[2] * (minutes < 0.2 * included[plan]) - slopes[3] * np.log(months / 20)
        leaves = 1 - np.exp(-often * np.exp(log_rate - 2 * sharp * bound + 0.5))
        X = [plan, months, minutes, bill, calls, generator.poisson(3, (n, extra))]
        return np.column_stack(X) * 1.0, two_classes(leaves)

    return f"plans={plans} often={often} sharp={sharp:.1f} extra={extra}", draw


def dating_profiles(random):
    """Age, height, schooling, faith and interests of two people: no answer, a talk, a meeting?"""
    interests, faiths = int(random.choice([0, 4, 15])), int(random.choice([2, 6]))
    n_classes, sharp = int(random.choice([2, 3])), random.uniform(0.5, 3.0)
    strict, liked = random.uniform(0.1, 1.5), 0.8 * random.normal(size=interests)
    cuts = np.array([-0.3, 1.2])[: n_classes - 1]

    def draw(generator, n):
        age = generator.gamma(4, 5, (n, 2)) + 18
        age[:, 1] = np.where(
            generator.random(n) < 0.6, age[:, 0] + generator.normal(0, 4, n), age[:, 1]
        )
        age = np.clip(age.round(), 18, 90)
        height = generator.normal([178, 166], 7, (n, 2)).round()
        school, faith = generator.integers(0, 5, (n, 2)), generator.integers(0, faiths, (n, 2))
        hobbies = generator.random((n, 2, interests)) < 0.35
        fit = (
            1.4 - np.abs(age[:, 0] - age[:, 1] - 2) / 6 - 0.3 * np.abs(school[:, 0] - school[:, 1])
        )
        fit += strict * (faith[:, 0] == faith[:, 1]) - strict / 2
        fit += 0.04 * np.clip(height[:, 0] - height[:, 1] - 5, -15, 5)
        fit += (hobbies[:, 0] & hobbies[:, 1]) @ liked
        below = expit(sharp * (cuts - fit[:, None]))
        X = np.column_stack([age, height, school, faith, hobbies.reshape(n, -1)]) * 1.0
        return X, np.diff(below, axis=1, prepend=0, append=1).clip(0)

    return f"interests={interests} faiths={faiths} K={n_classes} sharp={sharp:.1f}", draw
