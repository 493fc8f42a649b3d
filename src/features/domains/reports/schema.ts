import Type from 'typebox'
import { Id, nullable, oneOf } from '../../../kernel/http/shapes.ts'
import { NEXT_STEPS } from './next-step.ts'

const Day = Type.String({ description: 'In UTC.', examples: ['2026-11-17'] })
const Count = Type.Integer({ minimum: 0 })

export const ORIGINS = ['us', 'forwarded', 'authorized', 'unauthorized'] as const

const Reporter = Type.Object({ name: Type.String(), reports: Count, messages: Count, first_day: Day, last_day: Day })

const Source = Type.Object({
  address: nullable(Type.String({ description: 'Null: sources beyond those that are kept for a day.' })),
  origin: Type.Unsafe<(typeof ORIGINS)[number]>({
    type: 'string',
    enum: ORIGINS,
    description:
      '`us`: sent from here. `forwarded`: signed here, and passed on by another server. `authorized`: sent by others, and passes. `unauthorized`: sent by others, and fails.',
  }),
  messages: Count,
  aligned: Type.Integer({ minimum: 0, description: 'Messages that pass DMARC, by SPF or DKIM.' }),
  spf_domains: Type.Array(Type.String()),
  dkim_domains: Type.Array(Type.String()),
  first_day: Day,
  last_day: Day,
})

const TlsFailure = Type.Object({
  result: Type.String({ description: 'As in RFC 8460, 4.3.', examples: ['certificate-expired'] }),
  mx: nullable(Type.String()),
  sessions: Count,
  first_day: Day,
  last_day: Day,
})

export const DomainReports = Type.Object(
  {
    object: Type.Literal('domain_reports'),
    domain_id: Id,
    since: Day,
    dmarc: Type.Object({
      reporters: Type.Array(Reporter),
      messages: Count,
      aligned: Count,
      spf_aligned: Count,
      dkim_aligned: Count,
      quarantined: Count,
      rejected: Count,
      policy: nullable(oneOf(['none', 'quarantine', 'reject'])),
      sources: Type.Array(Source),
    }),
    tls: Type.Object({
      reporters: Type.Array(Reporter),
      sessions: Count,
      failed: Count,
      failures: Type.Array(TlsFailure),
    }),
    next_step: Type.Object({
      kind: oneOf(NEXT_STEPS),
      text: Type.String(),
      value: nullable(Type.String({ description: 'What to publish as the TXT record at `_dmarc`.' })),
    }),
  },
  { title: 'DomainReports' },
)

export const REPORT_DAYS = { default: 30, max: 90 }

export const ReportsQuery = Type.Object({
  days: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: REPORT_DAYS.max,
      description: `How many days to look back; ${REPORT_DAYS.default} unless said.`,
    }),
  ),
})
