import Type from 'typebox'
import { nullable } from '../../http/shapes.ts'
import { endpoint } from '../definitions.ts'
import { countEmails, type EmailTotals } from '../metrics/actions.ts'
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
    summary: 'Retrieve usage',
    reply: Usage,
    async run({ services: { db, clock, config }, actor: { team } }) {
      const { day, month, nextDay, nextMonth } = periods(clock.of(team).now())
      const { contacts, segments, broadcasts, domains, automationRuns } = await countUsed(db, team, month)
      const [daily, monthly] = await countEmails(db, team, [day, month])
      return {
        object: 'usage' as const,
        emails: {
          daily: { ...withSum(daily!), limit: null, resets_at: nextDay.toISOString() },
          monthly: { ...withSum(monthly!), limit: UNLIMITED, resets_at: nextMonth.toISOString() },
        },
        contacts: { used: contacts, limit: UNLIMITED },
        segments: { used: segments, limit: null },
        broadcasts: { used: broadcasts, limit: null },
        ai_credits: { used: 0, limit: null, next_increase_at: null },
        automation_runs: { used: automationRuns, limit: UNLIMITED, resets_at: nextMonth.toISOString() },
        domains: { used: domains, limit: null },
        rate_limit: { limit: config.RATE_LIMIT || UNLIMITED, duration: '1000ms' },
      }
    },
  }),
]

const withSum = ({ sent, received }: EmailTotals) => ({ used: sent + received, sent, received })

/** Days and months begin and end at midnight UTC. */
function periods(now: Date) {
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()]
  const midnight = (monthIndex: number, date: number) => new Date(Date.UTC(year, monthIndex, date))
  return {
    day: midnight(month, day),
    month: midnight(month, 1),
    nextDay: midnight(month, day + 1),
    nextMonth: midnight(month + 1, 1),
  }
}
