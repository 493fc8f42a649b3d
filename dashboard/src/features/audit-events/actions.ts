import { OTHER_ACTIONS } from '../../../../src/features/audit/schema.ts'
import type { Item } from '../../api.ts'
import { ENDPOINTS } from '../../endpoints.ts'
import type { PageOfOne } from '../../ui/search-params.ts'
import { SUMMARIES } from './summaries.ts'

export type AuditEvent = Item<'audit-events.list'>

export const ACTIONS: Readonly<Record<string, string>> = { ...SUMMARIES, ...OTHER_ACTIONS }

export const inWords = (action: string) => ACTIONS[action] ?? action

/** For a select, in the order of their words. */
export const CHOICES = Object.entries(ACTIONS)
  .map(([value, label]) => ({ value, label }))
  .sort((a, b) => a.label.localeCompare(b.label))

const PAGES: Readonly<Record<string, PageOfOne>> = {
  emails: '/emails/$id',
  broadcasts: '/broadcasts/$id',
  automations: '/automations/$id',
  templates: '/templates/$id',
  contacts: '/contacts/$id',
  segments: '/segments/$id',
  domains: '/domains/$id',
  webhooks: '/webhooks/$id',
}

/** Where the object is shown: what was deleted is nowhere, and what belongs to another thing has no page of its own. */
export function pageOf({ action, object_id }: AuditEvent): PageOfOne | undefined {
  const [resource, ...act] = action.split('.')
  return object_id === null || act.length !== 1 || act[0] === 'remove' ? undefined : PAGES[resource!]
}

/** Requests have a log under the same id, in the team that asked: not what people do to their account, and operators to others. */
export function hasLog({ action, actor }: AuditEvent): boolean {
  const access = (ENDPOINTS as Readonly<Record<string, { readonly access: string }>>)[action]?.access
  return actor.id !== null && access !== undefined && access !== 'person' && access !== 'operator'
}

/** `role: viewer, before: owner` */
export const detailsOf = ({ details }: AuditEvent) =>
  Object.entries(details ?? {})
    .map(
      ([name, value]) => `${name.replaceAll('_', ' ')}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
    )
    .join(', ')
