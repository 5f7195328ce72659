"""What things are: values, paths, cases, rules, comparisons, results. No I/O."""
