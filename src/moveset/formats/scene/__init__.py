"""What formats with a tree of nodes have in common: which nodes are joints, and how they become a skeleton."""
