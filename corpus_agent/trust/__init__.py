"""The indices that this user trusts, recorded outside of any folder of documents."""
