import Type from 'typebox'
import { endpoint } from '../../http/endpoint.ts'
import { nullable } from '../../http/shapes.ts'
import { countUsed } from './queries.ts'

/** There is no plan here. Clients insist on a number in some places; this one is as good as none. */
const UNLIMITED = Number.MAX_SAFE_INTEGER

const Used = Type.Object({ used: Type.Number(), limit: nullable(Type.Number()) })
const Resetting = Type.Object({ ...Used.properties, resets_at: Type.String({ format: 'date-time' }) })
const Emails = Type.Object({ ...Resetting.properties, sent: Type.Number(), received: Type.Number() })

const Usage = Type.Object(
  {
    object: Type.Literal('usage'),
    emails: Type.Object({ daily: Emails, monthly: Emails }),
    contacts: Used,
    segments: Used,
    broadcasts: Used,
    ai_credits: Type.Object({ ...Used.properties, next_increase_at: nullable(Type.String()) }),
    automation_runs: Resetting,
    domains: Used,
    rate_limit: Type.Object({ limit: Type.Number(), duration: Type.String() }),
  },
  { title: 'Usage' },
)

export const usageEndpoints = [
  endpoint({
    id: 'usage.get',
    route: 'GET /usage',
    summary: 'Retrieve what the team uses',
    reply: Usage,
    async run({ context: { db, team, clock, config } }) {
      const { contacts, segments } = await countUsed(db, team)
      const { nextDay, nextMonth } = resets(clock.now())
      const none = { used: 0, sent: 0, received: 0 }
      return {
        object: 'usage' as const,
        emails: {
          daily: { ...none, limit: null, resets_at: nextDay },
          monthly: { ...none, limit: UNLIMITED, resets_at: nextMonth },
        },
        contacts: { used: contacts, limit: UNLIMITED },
        segments: { used: segments, limit: null },
        broadcasts: { used: 0, limit: null },
        ai_credits: { used: 0, limit: null, next_increase_at: null },
        automation_runs: { used: 0, limit: UNLIMITED, resets_at: nextMonth },
        domains: { used: 0, limit: null },
        rate_limit: { limit: config.RATE_LIMIT || UNLIMITED, duration: '1000ms' },
      }
    },
  }),
]

/** Days and months end at midnight UTC. */
function resets(now: Date) {
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()]
  return {
    nextDay: new Date(Date.UTC(year, month, day + 1)).toISOString(),
    nextMonth: new Date(Date.UTC(year, month + 1, 1)).toISOString(),
  }
}
