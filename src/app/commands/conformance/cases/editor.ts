import type { Case, Group } from '../suite/case.ts'
import type { CaseRun, Fixture, Json } from '../suite/case-run.ts'
import { anything, object, string } from '../suite/shape.ts'
import { type Asked, ask, expectAnswer } from './ask.ts'

// What the MCP server asks for when an agent writes a template or a broadcast together with people. A server may leave all of it out.

const template: Fixture<{ resource_type: string; resource_id: string }> = {
  async make(trial) {
    const { id } = await trial.made('POST /templates', { body: { name: trial.fresh('Edited'), html: '<p>Hello</p>' } })
    return { resource_type: 'template', resource_id: id }
  },
}

const read = (trial: CaseRun, of: Record<string, string>) =>
  ask(trial, { method: 'GET', path: `/editor/content?${new URLSearchParams(of)}` })

/** The document of a template. */
const content: Fixture<{ asked: Asked; of: { resource_type: string; resource_id: string } }> = {
  async make(trial) {
    const of = await trial.need(template)
    const asked = await read(trial, of)
    if ([404, 405, 501].includes(asked.status)) trial.skip('the server has no editor')
    return { asked, of }
  },
}

const paragraph = (text: string): Json => ({
  type: 'doc',
  content: [{ type: 'paragraph', content: [{ type: 'text', text }] }],
})

const cases: Case[] = [
  {
    ...{ id: 'editor.read', title: 'reads the document of a template', operation: null },
    async run(trial) {
      const { asked } = await trial.need(content)
      expectAnswer(trial, asked, { status: 200, shape: { content: { type: string } } })
    },
  },
  {
    ...{ id: 'editor.write', title: 'writes the document of a template, and its html follows', operation: null },
    async run(trial) {
      const { of } = await trial.need(content)
      const text = trial.fresh('Written')
      const body = { ...of, content: paragraph(text) }
      expectAnswer(trial, await ask(trial, { method: 'POST', path: '/editor/content', body }), {
        ...{ status: 200, shape: object },
      })
      const { content: written } = expectAnswer(trial, await read(trial, of), {
        status: 200,
        shape: { content: object },
      })
      const isThere = JSON.stringify(written ?? {}).includes(text)
      trial.check('GET /editor/content', { expected: text, isTrue: isThere, actual: written })
      const { html } = (await trial.call('GET /templates/:id', { params: { id: of.resource_id } })).is(200, {
        html: string,
      })
      trial.check('GET /templates/:id', { expected: text, isTrue: String(html).includes(text), actual: html })
    },
  },
  {
    ...{ id: 'editor.connect', title: 'lets an agent in, and out', operation: null },
    async run(trial) {
      const { of } = await trial.need(content)
      const body = { ...of, agent_name: 'Conformance' }
      const path = '/editor/connections'
      const shape = { room_id: string, apiKeyId: anything }
      expectAnswer(trial, await ask(trial, { method: 'POST', path, body }), { status: 200, shape })
      expectAnswer(trial, await ask(trial, { method: 'DELETE', path, body }), { status: 200, shape: object })
    },
  },
  {
    ...{ id: 'editor.unknown', title: 'has no document of nobody', operation: null },
    async run(trial) {
      await trial.need(content)
      const of = { resource_type: 'template', resource_id: '00000000-0000-4000-8000-000000000000' }
      expectAnswer(trial, await read(trial, of), { status: 404, shape: { message: string } })
    },
  },
]

export const editor: Group = { id: 'editor', title: 'Editor', cases }
