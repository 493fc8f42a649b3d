import type { Reply } from '../../api.ts'

export type NewSandbox = Reply<'sandboxes.create'>

// What creating a sandbox has answered, for the page that shows it. Only in memory: a reload forgets it, and nobody can ask for it again.
const known = new Map<string, NewSandbox>()

export const rememberSecrets = (sandbox: NewSandbox) => known.set(sandbox.id, sandbox)

export const secretsOf = (id: string): NewSandbox | undefined => known.get(id)
