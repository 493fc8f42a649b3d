import type { FastifyInstance } from 'fastify'
import type { Services } from '../../features/services.ts'
import { addMailpit } from '../../gateways/mailpit/routes.ts'
import { addMcp } from '../../gateways/mcp/routes.ts'
import type { Endpoint } from '../../kernel/http/endpoint.ts'
import type { ServerServices } from '../../kernel/http/server.ts'

export interface GatewayParts {
  readonly services: Services & ServerServices
  readonly endpoints: readonly Endpoint<Services>[]
  readonly version: string
}

/** Adds routes of its own in front of the same features, in a process with the role `api`. */
export type Gateway = (app: FastifyInstance, parts: GatewayParts) => void

/** Plug-ins: nothing else imports them. The dashboard is none, since the process needs its sessions and the link that signs in. */
export const GATEWAYS: readonly Gateway[] = [addMcp, addMailpit]
