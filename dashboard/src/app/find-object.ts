import { call } from '../api.ts'
import type { IsAllowed, Need } from '../ui/allowed.tsx'
import { runBulk } from '../ui/bulk.ts'
import type { IconName } from '../ui/icons.tsx'
import type { PageOfOne } from '../ui/search-params.ts'
import { texts } from './texts.ts'

export interface Found {
  readonly kind: string
  readonly icon: IconName
  readonly title: string
  readonly to: PageOfOne
  readonly id: string
}

interface Kind extends Pick<Found, 'kind' | 'icon' | 'to'> {
  readonly needs: Need
  readonly titleOf: (id: string) => Promise<string | null | undefined>
}

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i

export const isId = (text: string) => UUID.test(text.trim())

/** A key's secret: it is compared here, and sent nowhere. */
export const isSecret = (text: string) => /^(re|whsec)_/.test(text.trim())

/** What an id can be of, the likeliest first. */
const KINDS: readonly Kind[] = [
  {
    ...{ kind: texts.objects.email, icon: 'send', to: '/emails/$id', needs: 'emails.get' },
    titleOf: async (id) => (await call('emails.get', { id })).subject,
  },
  {
    ...{ kind: texts.objects.receivedEmail, icon: 'inbox', to: '/received/$id', needs: 'emails.receiving.get' },
    titleOf: async (id) => (await call('emails.receiving.get', { id })).subject,
  },
  {
    ...{ kind: texts.objects.contact, icon: 'person', to: '/contacts/$id', needs: 'contacts.get' },
    titleOf: async (idOrEmail) => (await call('contacts.get', { idOrEmail })).email,
  },
  {
    ...{ kind: texts.objects.log, icon: 'list', to: '/logs/$id', needs: 'logs.get' },
    titleOf: async (logId) => {
      const { method, endpoint } = await call('logs.get', { logId })
      return `${method} ${endpoint}`
    },
  },
  {
    ...{ kind: texts.objects.broadcast, icon: 'megaphone', to: '/broadcasts/$id', needs: 'broadcasts.get' },
    titleOf: async (id) => (await call('broadcasts.get', { id })).name,
  },
  {
    ...{ kind: texts.objects.template, icon: 'page', to: '/templates/$id', needs: 'templates.get' },
    titleOf: async (idOrAlias) => (await call('templates.get', { idOrAlias })).name,
  },
  {
    ...{ kind: texts.objects.automation, icon: 'flow', to: '/automations/$id', needs: 'automations.get' },
    titleOf: async (id) => (await call('automations.get', { id })).name,
  },
  {
    ...{ kind: texts.objects.automationRun, icon: 'flow', to: '/automation-runs/$id', needs: 'automationRuns.get' },
    titleOf: async (id) => (await call('automationRuns.get', { id })).email,
  },
  {
    ...{ kind: texts.objects.segment, icon: 'layers', to: '/segments/$id', needs: 'segments.get' },
    titleOf: async (id) => (await call('segments.get', { id })).name,
  },
  {
    ...{ kind: texts.objects.domain, icon: 'globe', to: '/domains/$id', needs: 'domains.get' },
    titleOf: async (id) => (await call('domains.get', { id })).name,
  },
  {
    ...{ kind: texts.objects.webhook, icon: 'hook', to: '/webhooks/$id', needs: 'webhooks.get' },
    titleOf: async (id) => (await call('webhooks.get', { id })).endpoint,
  },
  {
    ...{ kind: texts.objects.apiKey, icon: 'key', to: '/api-keys/$id', needs: 'api-keys.get' },
    titleOf: async (id) => (await call('api-keys.get', { id })).name,
  },
  {
    ...{ kind: texts.objects.sandbox, icon: 'flask', to: '/sandboxes/$id', needs: 'sandboxes.get' },
    titleOf: async (id) => (await call('sandboxes.get', { id })).name,
  },
]

/** What an id is of: an id does not say, so every kind is asked that whoever asks may read, a few at a time. */
export async function findObjects(text: string, may: IsAllowed): Promise<Found[]> {
  const id = text.trim().toLowerCase()
  const found: Found[] = []
  await runBulk(
    KINDS.filter(({ needs }) => may(needs)),
    {
      run: async ([one]) => {
        const { kind, icon, to, titleOf } = one!
        found.push({ kind, icon, to, id, title: (await titleOf(id)) || kind })
      },
    },
  )
  return found
}
