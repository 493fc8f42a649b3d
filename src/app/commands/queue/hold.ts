import { type Command, JSON_FLAG } from '../command.ts'

// Holds mail back until it is released: it is accepted, and waits. Processes that run notice with their next heartbeat, within a second.

const SCOPE_OPTIONS = {
  email: { type: 'string' },
  team: { type: 'string' },
  domain: { type: 'string' },
  from: { type: 'string' },
  provider: { type: 'string' },
  destination: { type: 'string' },
  tag: { type: 'string' },
  all: { type: 'boolean' },
  'dry-run': { type: 'boolean' },
  ...JSON_FLAG,
} as const
export const SCOPE_USAGE =
  '--email ID | --team T | --domain D | --from DOMAIN | --provider P | --destination D | --tag NAME[:VALUE] | --all'

export const queueHold: Command = {
  name: 'queue hold',
  usage: `${SCOPE_USAGE} --reason WORDS [--dry-run] [--json]`,
  summary:
    'Hold one email, or mail of a team, to a domain, from a domain, to a destination, with a tag, or all mail: it is accepted and waits until `queue release`. Filters can be combined. --dry-run only counts',
  options: { ...SCOPE_OPTIONS, reason: { type: 'string' } },
  words: 0,
  run: async (input) => (await import('./hold-mail.ts')).runHold(input),
}

export const queueRelease: Command = {
  name: 'queue release',
  usage: `${SCOPE_USAGE} [--dry-run] [--json]`,
  summary: 'Release a hold, named by the same filters: held mail is sent. --dry-run only counts',
  options: SCOPE_OPTIONS,
  words: 0,
  run: async (input) => (await import('./hold-mail.ts')).runRelease(input),
}

export const queueHolds: Command = {
  name: 'queue holds',
  usage: '[--json]',
  summary: 'List what is on hold, since when and why',
  options: JSON_FLAG,
  words: 0,
  run: async (input) => (await import('./hold-mail.ts')).runHolds(input),
}
