import type { WatchFilter } from '../../../features/emails/delivery/outcomes/attempt-watches.ts'
import { isId } from '../../../platform/ids.ts'
import { type Command, JSON_FLAG, OperatorError, oneLine } from '../command.ts'
import { requireDatabase } from '../database.ts'
import { quiet } from '../quiet.ts'
import { requireTeam } from '../teams.ts'

export const trace: Command = {
  name: 'trace',
  usage: '[--domain D] [--team T] [--email ID] [--fail-only] [--json]',
  summary:
    'Follow delivery attempts of all running processes as they happen, with what was said, until Ctrl-C. --domain is the domain of recipients, a provider or a mail server. --fail-only leaves out what was delivered',
  options: {
    domain: { type: 'string' },
    team: { type: 'string' },
    email: { type: 'string' },
    'fail-only': { type: 'boolean' },
    ...JSON_FLAG,
  },
  words: 0,
  async run({ config, flags, print }) {
    const { email, domain } = flags
    if (email !== undefined && !isId(String(email)))
      throw new OperatorError(`--email must be the id of an email, not \`${oneLine(String(email))}\`.`)
    if (domain !== undefined && !/^\S+$/.test(String(domain).trim()))
      throw new OperatorError(
        `--domain must be a domain, a provider or the name of a mail server, not \`${oneLine(String(domain))}\`.`,
      )
    const { followAttempts } = await import('./follow-attempts.ts')
    const { linesOf, linesOfSkipped } = await import('./attempt-lines.ts')
    const database = await requireDatabase(config, quiet)
    try {
      const filter: WatchFilter = {
        ...(domain !== undefined && { domain: String(domain).trim().replace(/^@/, '').toLowerCase() }),
        ...(email !== undefined && { email: String(email).toLowerCase() }),
        ...(flags.team !== undefined && { team: await requireTeam(database.db, flags.team) }),
        ...(flags['fail-only'] === true && { isFailOnly: true }),
      }
      await followAttempts(database, filter, {
        signal: untilStopped(),
        onNotice(notice) {
          if (notice.object === 'following') return quiet.warn(`Following node ${notice.node}. Ctrl-C ends it.`)
          if (flags.json) return print(JSON.stringify(notice))
          for (const line of notice.object === 'skipped' ? linesOfSkipped(notice) : linesOf(notice)) print(line)
        },
      })
    } finally {
      await database.close()
    }
  },
}

/** Ctrl-C, or a reader that has gone away (`| head`). */
function untilStopped(): AbortSignal {
  const stopping = new AbortController()
  const stop = () => stopping.abort()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop)
  process.stdout.once('error', stop)
  return stopping.signal
}
