"""Checks of the notebooks, one module for each: laws that a student's functions must obey.

A check prints one line if its function is right. If not, it raises `NotYet`: what is wrong and what to try, without the
solution. Random functions are judged by their distribution. Shares and means may miss it by `MARGIN` standard errors,
so a right function fails once in millions of checks.
"""
