// Makes a client believe that a person reads along: it prints tables instead of JSON.
process.stdout.isTTY = true
