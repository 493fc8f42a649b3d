import type { Item } from '../../api.ts'
import { useChoices } from '../../ui/choices.ts'
import { readTime } from '../../ui/time.tsx'
import { texts } from './texts.ts'

export type Key = Item<'api-keys.details.list'>

export const isExpired = ({ expires_at }: Pick<Key, 'expires_at'>) =>
  expires_at !== null && readTime(expires_at).getTime() <= Date.now()

/** What a key may do, in words. */
export function usePermissionText() {
  const domains = useChoices('domains.list')
  return ({ permission, domain_id }: Pick<Key, 'permission' | 'domain_id'>) => {
    if (permission === 'full_access') return texts.permissions.full
    if (domain_id === null) return texts.permissions.sending
    const domain = domains.find(({ value }) => value === domain_id)
    return domain ? texts.permissions.sendingFrom(domain.label) : texts.permissions.sendingFromUnknownDomain
  }
}
