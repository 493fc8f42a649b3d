import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { signedIn } from '../../../test/harness/browser-session.ts'
import { saying } from '../../../test/harness/documents.ts'
import { listen } from '../../../test/harness/live-feed.ts'

/** The requests of `resend-mcp` 2.22, to the byte: `lib/resend-editor-client.js` and `lib/dashboard-client.js`. */
function editorClient(url: string, apiKey: string) {
  const apiRequest = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const answer = (await response.json()) as Record<string, never>
    if (!response.ok) throw new Error(`API error (${response.status}): ${answer.message}`)
    return answer
  }
  return {
    createEditorConnection: (data: object) => apiRequest('POST', '/editor/connections', data),
    deleteEditorConnection: (data: object) => apiRequest('DELETE', '/editor/connections', data),
    composeTemplateContent: (id: string, data: { content: object }) =>
      apiRequest('POST', '/editor/content', { resource_type: 'template', resource_id: id, content: data.content }),
    getEditorContent: (resourceType: string, resourceId: string) =>
      apiRequest(
        'GET',
        `/editor/content?${new URLSearchParams({ resource_type: resourceType, resource_id: resourceId })}`,
      ),
    getTiptapSchema: async () => (await fetch(`${url}/api/agent/prompt`)).json() as Promise<Record<string, string>>,
  }
}

test('an agent that connects, reads, writes and goes is seen in an open dashboard', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const id: string = (await acme.post('/templates', { name: 'Welcome', html: '<p>Before</p>' })).body.id
  const { cookie } = await signedIn(app, acme.token)
  const { next, url } = await listen(app, cookie)
  const agent = editorClient(url, acme.token)
  const document = { resource_type: 'template', resource_id: id }

  const connection = await agent.createEditorConnection({ ...document, agent_name: 'Claude' })
  expect(connection).toMatchObject({ room_id: `template-${id}`, apiKeyId: expect.any(String) })
  expect((await next())!.events).toEqual([{ type: 'editor.connections.updated', about: id }])
  expect(JSON.stringify((await agent.getEditorContent('template', id)).content)).toContain('"Before"')
  expect(await agent.getTiptapSchema()).toEqual({ data: expect.any(String), version: expect.any(String) })
  await agent.composeTemplateContent(id, { content: saying('After') })
  expect((await next())!.events).toEqual([{ type: 'editor.content.updated', about: id }])
  await agent.deleteEditorConnection({ ...document, agent_name: 'Claude' })
  expect((await next())!.events).toEqual([{ type: 'editor.connections.updated', about: id }])

  expect((await acme.get(`/templates/${id}`)).body.text).toBe('After')
  const seen = await acme.get(`/editor/content?${new URLSearchParams(document)}`)
  expect(seen.body.author).toEqual({ type: 'agent', name: 'Claude' })
})

test('an invalid document of an agent is refused with the reason', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const id: string = (await acme.post('/templates', { name: 'Welcome', html: '<p>Before</p>' })).body.id
  const { cookie } = await signedIn(app, acme.token)
  const { url } = await listen(app, cookie)
  const agent = editorClient(url, acme.token)

  await expect(
    agent.composeTemplateContent(id, { content: { type: 'doc', content: [{ type: 'carousel' }] } }),
  ).rejects.toThrow('API error (422): Invalid `content` field. Unknown nodes or marks: `carousel`.')
})
