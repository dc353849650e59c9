/* Lists of the nearest neighbours of every site.
 *
 * They are made once and hold sites, so they serve every tree: vertices that have merged
 * and edges that are used are passed over when a list is read (update_edges.h).
 */
#pragma once

#include "common/smallest.h"
#include "kdtree/graph.h"
#include "kdtree/leaf_pairs.h"

/* With fewer coordinates the sites of a leaf have most of their neighbours in a few leaves. */
enum { MOST_NEIGHBORS = 32, FEW_LEAVES_BELOW = 4 };

/* The lists of all sites of one leaf, made together: they walk through the same nodes.
 * Limits of rows are the lengths at the ends of their lists. */
typedef struct {
    KDRows rows;
    int size, listed;
    ptrdiff_t alone;                        /* the site that searches alone */
    double length[KD_LEAF][MOST_NEIGHBORS];
    uint32_t neighbor[KD_LEAF][MOST_NEIGHBORS];
} LeafLists;

INLINE int is_other_site(const void *search, ptrdiff_t i, uint32_t site)
{
    const KDRows *rows = &((const LeafLists *)search)->rows;
    return site != rows->tree->start[rows->leaf] + (uint32_t)i;
}

INLINE void list_site(void *search, ptrdiff_t i, uint32_t site, double length)
{
    LeafLists *lists = search;
    double *lengths = lists->length[i];
    insert_smallest(lengths, lists->neighbor[i], lists->size, length, site);
    lists->rows.limit[i] = lengths[lists->size - 1];
    lists->listed = 1;
}

INLINE void scan_for_neighbors(void *search, uint32_t leaf, ptrdiff_t d)
{
    LeafLists *lists = search;
    const KDTree *tree = lists->rows.tree;
    lists->listed = 0;
    kd_pairs_of_leaves(&lists->rows, tree, leaf, search, is_other_site, list_site, 0, d);
    if (lists->listed) kd_find_farthest(&lists->rows);
}

/* The same for one site alone. */
INLINE void scan_for_neighbors_of_one(void *search, uint32_t leaf, ptrdiff_t d)
{
    LeafLists *lists = search;
    const KDRows *rows = &lists->rows;
    const uint32_t start = rows->tree->start[leaf];
    const ptrdiff_t i = lists->alone;
    double length[KD_LEAF];
    KD_BITS(j, kd_distances(rows->tree, rows->q, leaf, rows->limit[i], length, d))
        if (length[j] < rows->limit[i] && is_other_site(search, i, start + j))
            list_site(search, i, start + j, length[j]);
}

/* The subtrees beside the path from a leaf to the root, and their bounds to all of the leaf. */
typedef struct {
    int n;
    uint32_t node[KD_DEPTH];
    double bound[KD_DEPTH];
} PathUp;

INLINE void find_path_up(const KDTree *tree, uint32_t leaf, PathUp *path, ptrdiff_t d)
{
    path->n = 0;
    for (uint32_t node = leaf; node != 0; node = tree->parent[node], path->n++) {
        const uint32_t parent = tree->parent[node];
        const uint32_t beside = node == parent + 1 ? tree->right[parent] : parent + 1;
        path->node[path->n] = beside;
        path->bound[path->n] = kd_box_bound(kd_box(tree, beside, d), kd_box(tree, leaf, d), d);
    }
}

/* The n_neighbors nearest sites of every site in the leaves among nodes lo..hi-1, nearest first. In
 * low dimension the sites of a leaf have their neighbours in the same few leaves, so they search
 * together. In higher dimension they search one by one: each needs few of the leaves near its own. */
INLINE void list_neighbors_with(const Graph *graph, ptrdiff_t lo, ptrdiff_t hi, double *room,
                                ptrdiff_t d)
{
    const KDTree *tree = &graph->sets[0].tree;
    LeafLists lists;
    lists.size = graph->n_neighbors;
    PathUp path;
    FOR_LEAVES(tree, leaf, lo, hi) {
        const ptrdiff_t count = tree->count[leaf];
        kd_start_rows(&lists.rows, tree, leaf, room);
        for (ptrdiff_t i = 0; i < count; i++) {
            lists.rows.limit[i] = INFINITY;
            for (int r = 0; r < lists.size; r++) lists.length[i][r] = INFINITY;
        }
        kd_find_farthest(&lists.rows);
        if (d < FEW_LEAVES_BELOW)
            kd_walk(tree, leaf, &lists.rows, &lists.rows.farthest, &lists, kd_bound_of_rows,
                    kd_skip_nothing, scan_for_neighbors, 0, d);
        else
            find_path_up(tree, leaf, &path, d);
        for (ptrdiff_t i = 0; d >= FEW_LEAVES_BELOW && i < count; i++) {
            lists.alone = i;
            kd_read_site(tree, tree->start[leaf] + (uint32_t)i, lists.rows.q, d);
            scan_for_neighbors_of_one(&lists, leaf, d);
            for (int r = 0; r < path.n; r++)
                if (path.bound[r] < lists.rows.limit[i])
                    kd_descend(tree, path.node[r], lists.rows.q, &lists.rows.limit[i], &lists,
                               kd_bound_of_point, kd_skip_nothing, scan_for_neighbors_of_one, 0,
                               d);
        }
        for (ptrdiff_t i = 0; i < count; i++) {
            const size_t site = tree->start[leaf] + (size_t)i;
            for (int r = 0; r < lists.size; r++)
                graph->neighbors[site * (size_t)lists.size + (size_t)r] = lists.neighbor[i][r];
            for (int r = 0; d >= KEEPS_DISTANCES && r < lists.size; r++)
                graph->neighbor_distance[site * (size_t)lists.size + (size_t)r] =
                    lists.length[i][r];
            graph->list_end[site] =
                lists.size == tree->n_sites - 1 ? INFINITY : lists.rows.limit[i];
        }
    }
}

static void list_neighbors(const Graph *graph, ptrdiff_t lo, ptrdiff_t hi, double *room)
{
    FOR_DIMENSION(graph->sets[0].tree.d, list_neighbors_with(graph, lo, hi, room, d));
}

/* The sites at a site's nearest distance. */
typedef struct {
    const KDTree *tree;
    const double *q;
    uint32_t site;
    double nearest;
    int n;
} Ties;

INLINE void count_ties_in_leaf(void *search, uint32_t leaf, ptrdiff_t d)
{
    Ties *ties = search;
    double length[KD_LEAF];
    KD_BITS(j, kd_distances(ties->tree, ties->q, leaf, ties->nearest, length, d)) {
        if (ties->tree->start[leaf] + j == ties->site || length[j] > ties->nearest) continue;
        ties->n = length[j] < ties->nearest ? 1 : ties->n + 1;
        ties->nearest = length[j];
    }
}

/* How many neighbours are equally near, in the mean of a few sites, rounded up. */
static int count_ties(const KDTree *tree, double *q)
{
    enum { SAMPLE = 32 };
    int n = 0;
    for (ptrdiff_t i = 0; i < SAMPLE; i++) {
        Ties ties = {tree, q, (uint32_t)(i * tree->n_sites / SAMPLE), INFINITY, 0};
        kd_read_site(tree, ties.site, q, tree->d);
        kd_walk(tree, tree->leaf[ties.site], q, &ties.nearest, &ties, kd_bound_of_point,
                kd_skip_nothing, count_ties_in_leaf, 1, tree->d);
        n += ties.n;
    }
    return (n + SAMPLE - 1) / SAMPLE;
}
