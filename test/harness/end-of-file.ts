import { afterAll } from 'vitest'
import { endFile } from './program.ts'

// Run for every test file, before it: what lasts for a file ends after everything that the file itself does in the end.
afterAll(endFile)
