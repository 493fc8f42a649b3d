import type { Static } from 'typebox'
import { findRow } from '../../kernel/http/rows.ts'
import { deletion, IdParams, present, reference } from '../../kernel/http/shapes.ts'
import { endpoint, list } from '../definitions.ts'
import { segmentNotFound } from './actions.ts'
import { deleteSegment, insertSegment, segmentRows, updateSegment } from './queries.ts'
import { CreateSegment, SegmentItem, type SegmentWord, segmentShapes, UpdateSegment } from './schema.ts'

/** The same five operations under the name of today and, deprecated, under the one of before. One id space. */
function endpointsOf<const Word extends SegmentWord>(word: Word, deprecation: { deprecated?: true }) {
  const path = `/${word}s`
  const named = word === 'audience' ? 'an audience' : 'a segment'
  const shapes = segmentShapes(word)
  return [
    endpoint({
      ...deprecation,
      id: `${word}s.create`,
      route: `POST ${path}`,
      summary: `Create ${named}`,
      status: 201,
      body: CreateSegment,
      reply: shapes.Created,
      async run({ body, services, actor }) {
        const id = await insertSegment(services.db, actor.team, body)
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
      rows: ({ actor }) => segmentRows(actor.team),
    }),
    endpoint({
      ...deprecation,
      id: `${word}s.get`,
      route: `GET ${path}/:id`,
      summary: `Retrieve ${named}`,
      params: IdParams,
      reply: shapes.Retrieved,
      async run({ params, services, actor }) {
        const segment = await findRow<Static<typeof SegmentItem>>(services.db, segmentRows(actor.team), params.id)
        if (!segment) throw segmentNotFound(word)
        return present(word, segment)
      },
    }),
    endpoint({
      ...deprecation,
      id: `${word}s.update`,
      route: `PATCH ${path}/:id`,
      summary: `Rename ${named}`,
      params: IdParams,
      body: UpdateSegment,
      reply: shapes.Reference,
      async run({ params, body, services, actor }) {
        if (!(await updateSegment(services.db, actor.team, params.id, body))) throw segmentNotFound(word)
        return reference(word, params.id)
      },
    }),
    endpoint({
      ...deprecation,
      id: `${word}s.remove`,
      route: `DELETE ${path}/:id`,
      summary: `Delete ${named}`,
      params: IdParams,
      reply: shapes.Deleted,
      async run({ params, services, actor }) {
        // Answers 200 also when there is nothing to delete: clients rely on it.
        await deleteSegment(services.db, actor.team, params.id)
        return deletion(word, params.id)
      },
    }),
  ]
}

export const segmentEndpoints = [...endpointsOf('segment', {}), ...endpointsOf('audience', { deprecated: true })]
