"""Matrix products of blocks, lists of the shortest edges, and Kruskal's algorithm over them.

products                      the phases of a call
index (clusters, projection)  points cut into blocks, with a float32 copy for products
search, layout                a call: its phases and its memory
sweep, tiles (tile_loops)     its passes over tiles; block_bounds says which to skip
edge_lists, list_kruskal      the shortest edges of each point, and the trees taken from them
class_pairs (cross_paths)     trees of pairs of classes, by products of whole classes
"""
