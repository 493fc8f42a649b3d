import { eventually, type Service } from './service.ts'

/** Processes of one database share what is limited with those that they know of: each as of its last heartbeat. */
export async function knowEachOther(...services: readonly Service[]) {
  const all = `postwren_role_processes{role="delivery"} ${services.length}\n`
  for (const { url } of services)
    await eventually(async () => (await (await fetch(`${url}/metrics`)).text()).includes(all))
}
