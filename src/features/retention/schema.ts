import Type from 'typebox'
import { nullable, refusedWith } from '../../kernel/http/shapes.ts'
import { mapKinds, type RetentionKind } from '../../mail/retention-kinds.ts'

const DESCRIPTIONS: Record<RetentionKind, string> = {
  emails: 'Sent emails with all that belongs to them, after their last recipient is settled.',
  bodies: 'The content of sent emails: `html`, `text`, attachments. The emails stay.',
  received: 'Received emails.',
  attachments: 'Attachments of sent and received emails, inline images among them. The emails stay.',
  events: 'Events, and the log of webhooks.',
  logs: 'Entries of `GET /logs`.',
  runs: 'Runs of automations, after they have ended.',
  trash: 'Threads in the trash of inboxes. Their emails stay.',
  audit: 'The audit log.',
}

const PERIOD = 'Like `12h` or `30d`, or `forever`.'

/** One kind of what a team keeps. */
const KeptFor = (description: string) =>
  Type.Object(
    {
      period: Type.String({ description: `How long it is kept. ${PERIOD}` }),
      own: nullable(Type.String({ description: 'What the team has chosen, if anything.' })),
      max: Type.String({ description: 'The longest that the team can choose.' }),
    },
    { description },
  )

export const TeamRetention = Type.Object(
  { object: Type.Literal('team_retention'), ...mapKinds((kind) => KeptFor(DESCRIPTIONS[kind])) },
  { title: 'TeamRetention' },
)

/** Owners choose whole days: an hour is over before anybody notices a mistake. */
const OwnPeriod = (kind: RetentionKind) =>
  Type.Optional(
    Type.Union(
      [
        Type.String({
          pattern: '^[1-9]\\d{0,4}d$',
          description: 'A number of days like `30d`. Null: as long as the installation keeps it.',
        }),
        Type.Null(),
      ],
      refusedWith(`Invalid \`${kind}\` field. It must be a number of days like \`30d\`, or null.`),
    ),
  )

export const ChangeRetention = Type.Object(mapKinds(OwnPeriod), { title: 'ChangeRetention' })
