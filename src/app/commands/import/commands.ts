import type { Command } from '../command.ts'
import { JSON_FLAG } from '../command.ts'

// Loaded when they are used: other commands start without them.

export const importResend: Command = {
  name: 'import resend',
  usage:
    '[--api-key KEY] [--base-url URL] [--team T] [--only KINDS] [--dry-run] [--new-ids] [--report FILE] [--state FILE] [--json]',
  summary: 'Import an account through its API. The key can be in RESEND_API_KEY',
  options: {
    'api-key': { type: 'string' },
    'base-url': { type: 'string' },
    team: { type: 'string' },
    only: { type: 'string' },
    'dry-run': { type: 'boolean' },
    'new-ids': { type: 'boolean' },
    report: { type: 'string' },
    state: { type: 'string' },
    ...JSON_FLAG,
  },
  words: 0,
  run: async (input) => (await import('./resend.ts')).runImportResend(input),
}
