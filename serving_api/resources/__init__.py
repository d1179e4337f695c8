"""One folder for each noun of the contract, each with the same rooms."""
