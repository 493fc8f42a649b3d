import Type from 'typebox'
import {
  deletedOf,
  Id,
  nullable,
  objectOf,
  oneOf,
  referenceTo,
  Timestamp,
  withDefault,
} from '../../kernel/http/shapes.ts'

export const SUBSCRIPTIONS = ['opt_in', 'opt_out'] as const
const VISIBILITIES = ['public', 'private'] as const

export const TopicItem = Type.Object(
  {
    id: Id,
    name: Type.String({ minLength: 1, maxLength: 50 }),
    description: Type.Optional(Type.String({ maxLength: 200 })),
    default_subscription: oneOf(SUBSCRIPTIONS),
    visibility: oneOf(VISIBILITIES),
    created_at: Timestamp,
  },
  { title: 'Topic' },
)

const { name, visibility } = TopicItem.properties
/** `null` takes it away. */
const description = nullable(TopicItem.properties.description)

export const CreateTopic = Type.Object(
  {
    name,
    description: Type.Optional(description),
    default_subscription: withDefault(oneOf(SUBSCRIPTIONS), 'opt_in'),
    visibility: withDefault(oneOf(VISIBILITIES), 'private'),
  },
  { title: 'CreateTopic' },
)

/** The default subscription stays: people have relied on it. The SDK repeats the id in the body, where it is ignored. */
export const UpdateTopic = Type.Object(
  { name: Type.Optional(name), description: Type.Optional(description), visibility: Type.Optional(visibility) },
  { title: 'UpdateTopic' },
)

export const Topic = objectOf('topic', TopicItem)
export const TopicReference = referenceTo('topic')
export const DeletedTopic = deletedOf('topic')
