"""Questions asked of stored runs: confidence, policy, suspect labels and others. Called by api, cli and web; must not import them."""
