/* What a tree begins with, and what a merge leaves, for some vertices: see components.pyx. */
#ifndef SMARTSVM_KD_COMPONENTS_H
#define SMARTSVM_KD_COMPONENTS_H

#include "kd/graph.h"

/* Nothing is known of vertices lo..hi-1; where points and vertices are the same, each is a
 * component. */
static int start_vertices(const Graph *graph, ptrdiff_t lo, ptrdiff_t hi, double *room)
{
    (void)room;
    for (ptrdiff_t v = lo; v < hi; v++) {
        graph->lower[v] = 0;
        graph->to[v] = NONE;
        if (graph->vertex_start != NULL) continue;
        graph->component[v] = graph->parent[v] = (uint32_t)v;
    }
    return 1;
}

/* The components of vertices lo..hi-1, as they are numbered now. */
static int renew_components(const Graph *graph, ptrdiff_t lo, ptrdiff_t hi, double *room)
{
    (void)room;
    for (ptrdiff_t v = lo; v < hi; v++)
        graph->component[v] = graph->parent[graph->component[v]];
    return 1;
}

#endif
