import type { Static } from 'typebox'
import { endpoint } from '../../http/endpoint.ts'
import { list } from '../../http/list.ts'
import { findRow } from '../../http/rows.ts'
import { deletion, IdParams, present, reference } from '../../http/shapes.ts'
import { segmentNotFound } from './actions.ts'
import { deleteSegment, insertSegment, renameSegment, segmentRows } from './queries.ts'
import { CreateSegment, SegmentItem, type SegmentWord, segmentShapes, UpdateSegment } from './schema.ts'

/** The same five operations under the name of today and, deprecated, under the one of before. One id space. */
function endpointsOf<const Word extends SegmentWord>(word: Word, deprecation: { deprecated?: true }) {
  const path = `/${word}s`
  const shapes = segmentShapes(word)
  return [
    endpoint({
      ...deprecation,
      id: `${word}s.create`,
      route: `POST ${path}`,
      summary: `Create one of the ${word}s`,
      status: 201,
      body: CreateSegment,
      reply: shapes.Created,
      async run({ body, context }) {
        const id = await insertSegment(context.db, context.team, body.name)
        return { ...reference(word, id), name: body.name }
      },
    }),
    list({
      ...deprecation,
      id: `${word}s.list`,
      route: `GET ${path}`,
      summary: `List ${word}s`,
      item: SegmentItem,
      unlimited: 'all',
      rows: ({ context }) => segmentRows(context.team),
    }),
    endpoint({
      ...deprecation,
      id: `${word}s.get`,
      route: `GET ${path}/:id`,
      summary: `Retrieve one of the ${word}s`,
      params: IdParams,
      reply: shapes.Retrieved,
      async run({ params, context }) {
        const segment = await findRow<Static<typeof SegmentItem>>(context.db, segmentRows(context.team), params.id)
        if (!segment) throw segmentNotFound(word)
        return present(word, segment)
      },
    }),
    endpoint({
      ...deprecation,
      id: `${word}s.update`,
      route: `PATCH ${path}/:id`,
      summary: `Rename one of the ${word}s`,
      params: IdParams,
      body: UpdateSegment,
      reply: shapes.Reference,
      async run({ params, body, context }) {
        if (!(await renameSegment(context.db, context.team, params.id, body.name))) throw segmentNotFound(word)
        return reference(word, params.id)
      },
    }),
    endpoint({
      ...deprecation,
      id: `${word}s.remove`,
      route: `DELETE ${path}/:id`,
      summary: `Delete one of the ${word}s`,
      params: IdParams,
      reply: shapes.Deleted,
      async run({ params, context }) {
        // Answers 200 also when there is nothing to delete: clients rely on it.
        await deleteSegment(context.db, context.team, params.id)
        return deletion(word, params.id)
      },
    }),
  ]
}

export const segmentEndpoints = [...endpointsOf('segment', {}), ...endpointsOf('audience', { deprecated: true })]
