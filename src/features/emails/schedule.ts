import Type from 'typebox'
import { Problem } from '../../kernel/http/problem.ts'
import { readTimezone } from '../../kernel/http/timezone.ts'
import { readMoment } from '../../mail/moment.ts'
import { namedZone, type TimeZone } from '../../mail/time-zone.ts'
import { endpoint } from '../definitions.ts'
import { MAX_DAYS_AHEAD } from './delivery/acceptance/scheduling-limit.ts'

const HINT = 'It must be a date in ISO 8601, or words like `in 1 hour` or `tomorrow at 9am Europe/Berlin`.'

/** When an email or a broadcast is to leave. Without a time zone in the text, and none that is usual for its author, it is UTC. */
export function readSchedule(text: string, now: Date, usual?: TimeZone): Date {
  const reading = readMoment(text, now, usual)
  if ('unclear' in reading) throw refusal(reading.unclear ? `${notUnderstood(reading)} ${HINT}` : HINT)
  const { moment } = reading
  if (moment < now) throw refusal('It must be in the future.')
  if (moment.getTime() - now.getTime() > MAX_DAYS_AHEAD * 86_400_000)
    throw refusal(`It must be at most ${MAX_DAYS_AHEAD} days ahead.`)
  return moment
}

const notUnderstood = ({ unclear, why }: { unclear: string | null; why?: string }) =>
  [`\`${unclear}\` was not understood.`, ...(why ? [why] : [])].join(' ')

const refusal = (reason: string) => new Problem('validation_error', `Invalid \`scheduled_at\` field. ${reason}`)

/** For people who want to see what their words mean before they send something. */
export const scheduleEndpoint = endpoint({
  id: 'emails.schedule',
  route: 'GET /emails/schedule',
  summary: 'Preview a `scheduled_at` time',
  description: 'Parses a time in ISO 8601 or plain English.',
  query: Type.Object({
    scheduled_at: Type.String({ description: 'As for sending an email.' }),
    timezone: Type.Optional(Type.String({ description: 'IANA name, for texts without a time zone. UTC otherwise.' })),
  }),
  reply: Type.Object({ object: Type.Literal('schedule'), scheduled_at: Type.String({ format: 'date-time' }) }),
  async run({ query: { scheduled_at, timezone }, services: { clock }, actor: { team } }) {
    const usual = timezone === undefined ? undefined : namedZone(readTimezone(timezone))!
    const moment = readSchedule(scheduled_at, clock.of(team).now(), usual)
    return { object: 'schedule' as const, scheduled_at: moment.toISOString() }
  },
})
