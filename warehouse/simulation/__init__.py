"""Simulations: what a rule would have paid, by the same statements that computed a publication.

A simulation is an in-memory database that receives facts and a proposed structure, runs the models
on them and is read like any publication. It writes nothing, and computes no rule itself.
"""
