import { createContext, type ReactNode, useContext } from 'react'
import type { EndpointId } from '../api.ts'
import { ENDPOINTS } from '../endpoints.ts'
import './field.css'

/** An endpoint that is called, or what an act asks for besides: keys that may do everything are not for all who may make keys. */
export type Need = EndpointId | 'full_keys'

/** Whether whoever is signed in may do it. The server decides; the page does not offer the rest. */
export type IsAllowed = (need: Need) => boolean

const Allowed = createContext<IsAllowed>(() => true)

export const AllowedProvider = Allowed.Provider

export const useAllowed = () => useContext(Allowed)

/** For parts that may need no endpoint at all. */
export function useIsAllowed(needs: EndpointId | undefined): boolean {
  const isAllowed = useAllowed()
  return needs === undefined || isAllowed(needs)
}

/** The endpoint that does this with the items of a list: `topics.update` for `topics.list`. Undefined: there is none of that name. */
export function endpointBeside(list: EndpointId, ...acts: readonly string[]): EndpointId | undefined {
  const ids = acts.map((act) => list.replace(/list$/, act))
  return ids.find((id): id is EndpointId => id in ENDPOINTS)
}

/** Fields that can be read by all, and filled in by those who may save them. */
export const Editable = ({ needs, children }: { needs: EndpointId | undefined; children: ReactNode }) => (
  <fieldset className="bare" disabled={!useIsAllowed(needs)}>
    {children}
  </fieldset>
)
