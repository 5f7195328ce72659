"""Pure computation on arrays and values: numbers, dates, text, geometry, statistics, assignment.

Called by matchers, causes, evaluators, score, summarize, read and plan.
Must not import any other package of fieldwise, nor touch files, sockets or processes.
"""
