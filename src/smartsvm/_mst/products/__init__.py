"""Matrix products of blocks, lists of the shortest edges, and Kruskal's algorithm over them.

products                      the phases of a call
index (clusters, projection)  points cut into blocks, with a float32 copy for products
search, sweep, tiles          a call and its passes over tiles; block_bounds says which to skip
edge_lists, list_kruskal      the shortest edges of each point, and the trees taken from them
class_pairs (cross_paths)     trees of pairs of classes, by products of whole classes
"""
