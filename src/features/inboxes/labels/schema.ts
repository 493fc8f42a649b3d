import Type from 'typebox'
import { deletedOf, Id, IsoTimestamp, referenceTo } from '../../../kernel/http/shapes.ts'
import { InboxParams } from '../schema.ts'
import { ThreadLabel, ThreadParams } from '../threads/schema.ts'

/** Names that stand for a color. */
export const COLORS = {
  cyan: '#00A2C7',
  teal: '#12A594',
  grass: '#46A758',
  lime: '#BDEE63',
  yellow: '#FFE629',
  orange: '#F76B15',
  iris: '#5B5BD6',
  plum: '#AB4ABA',
  crimson: '#E93D82',
  bronze: '#A18072',
  mauve: '#8E8C99',
} as const
export const DEFAULT_COLOR: keyof typeof COLORS = 'mauve'

const Name = Type.String({ minLength: 1, maxLength: 64 })
const Color = Type.String({
  pattern: `^(?:#[0-9a-fA-F]{6}|${Object.keys(COLORS).join('|')})$`,
  description: `\`#RRGGBB\`, or one of ${Object.keys(COLORS).join(', ')}.`,
  examples: ['#E93D82'],
})

export const CreateLabel = Type.Object({ name: Name, color: Type.Optional(Color) }, { title: 'CreateLabel' })
export const UpdateLabel = Type.Object(
  { name: Type.Optional(Name), color: Type.Optional(Color) },
  { title: 'UpdateLabel' },
)

export const Label = Type.Object(
  { id: Id, name: Type.String(), color: Type.String({ description: '`#RRGGBB`' }), created_at: IsoTimestamp },
  { title: 'Label' },
)

/** All of an inbox: there is no page behind it. */
export const Labels = Type.Object({ object: Type.Literal('list'), data: Type.Array(Label) }, { title: 'Labels' })
export const ThreadLabels = Type.Object(
  { object: Type.Literal('list'), data: Type.Array(ThreadLabel) },
  { title: 'ThreadLabels' },
)

export const MOST_ADDED_LABELS = 10
/** On a thread, or in a question. */
export const MOST_LABELS = 50
export const MOST_LABELS_OF_INBOX = 100
export const AddLabels = Type.Object(
  { labels: Type.Array(Id, { minItems: 1, maxItems: MOST_ADDED_LABELS }) },
  { title: 'AddLabels' },
)
export const SetLabels = Type.Object({ labels: Type.Array(Id, { maxItems: MOST_LABELS }) }, { title: 'SetLabels' })

export const LabelReference = referenceTo('inbox_label')
export const DeletedLabel = deletedOf('inbox_label')
export const LabelParams = Type.Object({ ...InboxParams.properties, label: Id })
export const ThreadLabelParams = Type.Object({ ...ThreadParams.properties, label: Id })
