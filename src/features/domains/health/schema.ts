import Type from 'typebox'
import { Id, IsoTimestamp, nullable, oneOf } from '../../../kernel/http/shapes.ts'
import { FINDING_STATUSES } from './finding.ts'

const WantedRecord = Type.Object({
  name: Type.String(),
  type: oneOf(['TXT', 'MX', 'CNAME', 'A', 'AAAA', 'PTR']),
  value: Type.String(),
})

const FOUND = {
  check: Type.String({ description: 'What was looked at.', examples: ['dmarc', 'dkim:postwren', 'spf_lookups'] }),
  status: Type.Unsafe<(typeof FINDING_STATUSES)[number]>({
    type: 'string',
    enum: FINDING_STATUSES,
    description: '`advice`: nothing is broken. `unknown`: name servers did not answer.',
  }),
  message: Type.String({ description: 'What is wrong and what to change, or what is right.' }),
  record: Type.Optional(WantedRecord),
}

export const DomainHealth = Type.Object(
  {
    object: Type.Literal('domain_health'),
    domain_id: Id,
    status: oneOf(['ok', 'advice', 'problem', 'unknown']),
    checked_at: nullable(IsoTimestamp),
    findings: Type.Array(Type.Object({ ...FOUND, since: IsoTimestamp })),
    installation: Type.Array(Type.Object({ ...FOUND, since: IsoTimestamp }), {
      description:
        'What is the same for all domains: names and addresses that mail is sent from, blocklists, certificates. Examined once a day, and every hour while there is a problem.',
    }),
  },
  { title: 'DomainHealth' },
)
