"""Reward models: an ORM is a PRM that speaks only at the last step, so one network serves both."""
