import Type from 'typebox'
import { nullable } from '../../../kernel/http/shapes.ts'
import { endpoint } from '../../definitions.ts'
import { dayOf, readUsed } from '../usage.ts'
import { countUsed } from './queries.ts'

/** Clients insist on a number in some places, of 32 bits in some languages; where the operator has set no limit, this one is as good as none. */
const UNLIMITED = 2 ** 31 - 1

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
    webhooks: Used,
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
    async run({ services: { db, clock, config, teamStates }, actor: { team } }) {
      const now = clock.of(team).now()
      const { month, nextDay, nextMonth } = periods(now)
      const { contacts, segments, broadcasts, domains, webhooks, automationRuns } = await countUsed(db, team, month)
      const [used] = await readUsed(db, [{ team, day: dayOf(now) }])
      const limits = teamStates.limitsOf(team)
      return {
        object: 'usage' as const,
        emails: {
          daily: { ...withSum(used!.daily), limit: limits.emailsPerDay, resets_at: nextDay.toISOString() },
          monthly: {
            ...withSum(used!.monthly),
            limit: limits.emailsPerMonth ?? UNLIMITED,
            resets_at: nextMonth.toISOString(),
          },
        },
        contacts: { used: contacts, limit: limits.contacts ?? UNLIMITED },
        segments: { used: segments, limit: null },
        broadcasts: { used: broadcasts, limit: null },
        ai_credits: { used: 0, limit: null, next_increase_at: null },
        automation_runs: { used: automationRuns, limit: UNLIMITED, resets_at: nextMonth.toISOString() },
        domains: { used: domains, limit: limits.domains },
        webhooks: { used: webhooks, limit: limits.webhooks },
        rate_limit: { limit: config.RATE_LIMIT || UNLIMITED, duration: '1000ms' },
      }
    },
  }),
]

/** By recipient of what was sent, and by message of what was received. */
const withSum = ({ sent, received }: { sent: number; received: number }) => ({ used: sent + received, sent, received })

/** Days and months begin and end at midnight UTC. */
function periods(now: Date) {
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()]
  const midnight = (monthIndex: number, date: number) => new Date(Date.UTC(year, monthIndex, date))
  return {
    month: midnight(month, 1),
    nextDay: midnight(month, day + 1),
    nextMonth: midnight(month + 1, 1),
  }
}
