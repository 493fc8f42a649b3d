import { type Command, JSON_FLAG } from '../command.ts'

// Loaded when it is used: other commands start without it.

export const conformance: Command = {
  name: 'conformance',
  usage:
    'URL [--key KEY] [--other-key KEY] [--only GROUPS] [--list] [--json] [--rate N] [--timeout SECONDS] [--from SENDER] [--webhook-url URL --webhook-port PORT] [--smtp HOST:PORT [--receive-at ADDRESS]]',
  summary:
    'Try whether a server keeps the contract of the API, every operation of it. The keys can be in RESEND_API_KEY and RESEND_OTHER_API_KEY; sends to test addresses only, and deletes what it has made',
  options: {
    ...{
      key: { type: 'string' },
      'other-key': { type: 'string' },
      only: { type: 'string' },
      list: { type: 'boolean' },
      rate: { type: 'string' },
    },
    ...{ timeout: { type: 'string' }, from: { type: 'string' }, 'webhook-url': { type: 'string' } },
    ...{ 'webhook-port': { type: 'string' }, smtp: { type: 'string' }, 'receive-at': { type: 'string' } },
    ...JSON_FLAG,
  },
  // None for --list.
  words: [0, 1],
  async run({ words, flags, environment, print }) {
    const [{ readOptions }, { runConformance }] = await Promise.all([import('./options.ts'), import('./run.ts')])
    await runConformance(readOptions(words, flags, environment), print)
  },
}
