"""Simulations: what a rule would have paid, by the very statements that computed a publication.

A simulation is a database in memory that is given facts and a proposed structure, runs the models
over them and is read as any publication is. It writes nothing anywhere. No rule is worked out here.
"""
