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

export const importList: Command = {
  name: 'import list',
  usage:
    'FILE --kind suppressions|contacts [--from ses|sendgrid|mailgun|postmark|csv] [--origin O] [--team T] [--dry-run] [--json]',
  summary: 'Import a list of another service, CSV or JSON',
  options: {
    kind: { type: 'string' },
    from: { type: 'string' },
    origin: { type: 'string' },
    team: { type: 'string' },
    'dry-run': { type: 'boolean' },
    ...JSON_FLAG,
  },
  words: 1,
  run: async (input) => (await import('./lists/list.ts')).runImportList(input),
}
