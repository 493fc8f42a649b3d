import { brief } from '../score.ts'
import type { McpTrial } from './trial.ts'

const documentSaying = (text: string) => ({
  type: 'doc',
  content: [{ type: 'container', content: [{ type: 'paragraph', content: [{ type: 'text', text }] }] }],
})

/** The tools of the editor: what a model reads, changes and writes back, and that it is what will be sent. */
export async function tryEditor({ world, call, check }: McpTrial) {
  const template = await world.ask('POST', '/templates', { name: 'Composed', html: '<h1>Before</h1>' })
  const resource = { resource_type: 'template', resource_id: template.id }
  await call('connect-to-editor', { ...resource, agent_name: 'Claude' }, /Room ID: template-/)
  const connections = await world.ask('GET', `/editor/connections?${new URLSearchParams(resource)}`)
  check('connect-to-editor shows the agent', connections.data?.[0]?.name === 'Claude', brief(connections))
  await call('get-tiptap-json-content', resource, /"text": "Before"[\s\S]*TipTap Schema Reference[\s\S]*twoColumns/)
  await call('compose-template', { id: template.id, content: documentSaying('After'), subject: 'Composed' }, /./)
  const composed = await world.ask('GET', `/templates/${template.id}`)
  const isComposed = composed.text === 'After' && composed.subject === 'Composed'
  check('compose-template writes html and text', isComposed && composed.html.includes('After'), brief(composed))
  const content = await world.ask('GET', `/editor/content?${new URLSearchParams(resource)}`)
  check('compose-template says by whom', content.author?.name === 'Claude', brief(content.author))
  const gone = await world.ask('GET', `/editor/connections?${new URLSearchParams(resource)}`)
  check('compose-template disconnects', gone.data?.length === 0, brief(gone))
  await call('connect-to-editor', resource)
  await call('disconnect-from-editor', {}, /Disconnected/)

  const segment = await world.ask('POST', '/segments', { name: 'Readers of the composed' })
  const broadcast = await world.ask('POST', '/broadcasts', {
    ...{ name: 'Composed', segment_id: segment.id, from: 'Acme <me@acme.example>', subject: 'News', text: 'Soon' },
  })
  await call(
    'get-tiptap-json-content',
    { resource_type: 'broadcast', resource_id: broadcast.id, include_schema: false },
    /Soon/,
  )
  await call('compose-broadcast', { broadcastId: broadcast.id, content: documentSaying('News of May'), name: 'May' })
  const sent = await world.ask('GET', `/broadcasts/${broadcast.id}`)
  check('compose-broadcast writes html and text', sent.text === 'News of May' && sent.name === 'May', brief(sent))
}
