throw new Error("No call in these tests has a GitHub App.");
