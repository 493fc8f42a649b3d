import Type from 'typebox'
import { Id, nullable, oneOf } from '../../../kernel/http/shapes.ts'
import { CHECKS, IMPACTS, SEVERITIES } from '../../../mail/checks/finding.ts'

/** One thing that is worth a look. */
export const Finding = Type.Object(
  {
    check: oneOf(CHECKS),
    severity: oneOf(SEVERITIES),
    impact: {
      ...oneOf(IMPACTS),
      description: '`minor`: the mail is as readable without it, or next to no reader misses it.',
    },
    title: Type.String({ examples: ['`display: grid` is not supported by 12 clients'] }),
    detail: nullable(Type.String()),
    line: nullable(Type.Integer({ description: 'Of the HTML, from 1.' })),
    source: nullable(Type.String({ description: 'That line, or the part of it that matters.' })),
    url: nullable(Type.String({ description: 'Link to documentation.' })),
    clients: nullable(Type.Array(Type.String({ description: 'Affected mail clients.' }))),
    share: nullable(
      Type.Number({ description: 'Readers in percent whose mail client does not support it. Approximate.' }),
    ),
  },
  { title: 'Finding' },
)

const Passed = Type.Object({ check: oneOf(CHECKS), title: Type.String() })

export const MessageChecks = Type.Object(
  {
    object: Type.Literal('message_checks'),
    id: Id,
    findings: Type.Array(Finding),
    passed: Type.Array(Passed),
    support: nullable(
      Type.Object({
        supported: Type.Number({
          description: 'Share of mail clients in percent, over all features that the HTML uses.',
        }),
        partial: Type.Number(),
        unsupported: Type.Number(),
        clients: Type.Integer(),
        features: Type.Integer(),
        data_updated_at: Type.String(),
      }),
    ),
    spam: nullable(
      Type.Object({
        score: Type.Number(),
        threshold: Type.Number(),
        rules: Type.Array(Type.Object({ name: Type.String(), score: Type.Number(), description: Type.String() })),
      }),
    ),
  },
  { title: 'MessageChecks' },
)

export const CheckQuery = Type.Object({
  links: Type.Optional(
    Type.Unsafe<'true' | 'false'>({
      ...oneOf(['true', 'false']),
      description:
        'Whether to request links and images from their servers, and to ask the DNS for the DMARC record. Defaults to `false`: following a link may do what it is for.',
    }),
  ),
})
