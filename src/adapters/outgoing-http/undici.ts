/** By name: of a CommonJS package that is imported late, the bundler gives the default alone. A file without anything else, so that a build beside a running service seldom renames it. */
export { Agent, buildConnector } from 'undici'
