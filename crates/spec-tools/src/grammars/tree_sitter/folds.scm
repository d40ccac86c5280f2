(comment) @fold
