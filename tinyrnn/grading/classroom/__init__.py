"""A whole class: what is handed out and handed in, graded many at a time, summed up, compared, exported."""
