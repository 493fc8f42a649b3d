import Type from 'typebox'
import { nullable, oneOf } from '../../../kernel/http/shapes.ts'

export const VIEWER_STATES = ['viewing', 'replying'] as const

export const AnnounceViewer = Type.Object({ state: oneOf(VIEWER_STATES) }, { title: 'AnnounceViewer' })

const Viewer = Type.Object(
  {
    email: Type.String(),
    name: nullable(Type.String()),
    state: oneOf(VIEWER_STATES),
  },
  { title: 'Viewer' },
)

/** All of a thread: there is no page behind it. */
export const Viewers = Type.Object({ object: Type.Literal('list'), data: Type.Array(Viewer) }, { title: 'Viewers' })
