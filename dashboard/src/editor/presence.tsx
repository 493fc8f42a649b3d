import { useEffect } from 'react'
import { CONNECTION_RENEWAL_MS } from '../../../src/features/editor/schema.ts'
import { call } from '../api.ts'
import { useCall } from '../queries.ts'
import { useIsAllowed } from '../ui/allowed.tsx'
import type { EditedResource } from './document-api.ts'
import { texts } from './texts.ts'

/** Says to others that this document is open here, for as long as it is. */
function useConnection(resource: EditedResource, isAllowed: boolean) {
  useEffect(() => {
    if (!isAllowed) return
    // Nobody misses it who does not see it; the next one is tried all the same.
    const connect = () => call('editor.connections.create', { body: resource }).catch(() => {})
    connect()
    const timer = setInterval(connect, CONNECTION_RENEWAL_MS)
    return () => {
      clearInterval(timer)
      call('editor.connections.remove', { body: resource }, { keepalive: true }).catch(() => {})
    }
  }, [resource, isAllowed])
}

/** Who else has the document open: people, and agents by their names. */
export function Presence({ resource }: { resource: EditedResource }) {
  useConnection(resource, useIsAllowed('editor.connections.create'))
  const others = useCall('editor.connections.list', resource).data?.data.filter(
    ({ is_own, type }) => !is_own || type === 'agent',
  )
  if (!others || others.length === 0) return null
  return (
    <ul className="presence" aria-label={texts.presence.label}>
      {others.map(({ id, name, type }) => (
        <li
          key={id}
          className={type === 'agent' ? 'agent' : ''}
          title={type === 'agent' ? texts.presence.agent(name) : name}
        >
          {name}
        </li>
      ))}
    </ul>
  )
}
