import Type from 'typebox'
import { deletedOf, Id, objectOf, referenceTo, Timestamp } from '../../kernel/http/shapes.ts'

export const SegmentItem = Type.Object(
  { id: Id, name: Type.String({ minLength: 1, maxLength: 255 }), created_at: Timestamp },
  { title: 'Segment' },
)

const { name } = SegmentItem.properties

export const CreateSegment = Type.Object({ name }, { title: 'CreateSegment' })
export const UpdateSegment = Type.Object({ name: Type.Optional(name) }, { title: 'UpdateSegment' })

/** An audience is what a segment was called before; only the word in `object` differs. */
export type SegmentWord = 'segment' | 'audience'

export const segmentShapes = <const Word extends SegmentWord>(word: Word) => ({
  Retrieved: objectOf(word, SegmentItem),
  Created: Type.Object({ object: Type.Literal(word), id: Id, name }),
  Reference: referenceTo(word),
  Deleted: deletedOf(word),
})
