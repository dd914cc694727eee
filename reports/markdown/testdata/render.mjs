// Renders Markdown files with programs that others published, and lists the tags and
// addresses of what comes out:
//   node render.mjs NODE_MODULES FILE...
import { createRequire } from 'node:module'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const [modules, ...files] = process.argv.slice(2)
const require = createRequire(join(modules, 'index.js'))
const { marked } = await import(pathToFileURL(require.resolve('marked')))
const MarkdownIt = require('markdown-it')
const renderers = {
  marked: (text) => marked.parse(text),
  'markdown-it': (text) => new MarkdownIt({ html: true, linkify: true }).render(text),
}

const all = []
for (const [renderer, render] of Object.entries(renderers)) {
  for (const file of files) {
    const html = render(readFileSync(file, 'utf8'))
    all.push({
      renderer,
      file,
      tags: [...new Set([...html.matchAll(/<\/?([a-zA-Z][^\s>]*)/g)].map((found) => found[1]))],
      attributes: [...new Set([...html.matchAll(/<[a-zA-Z][^\s>]*\s([^>]*)>/g)].map((found) => found[1]))],
      findings: [...html.matchAll(/<h3>/g)].length,
      closed: [...html.matchAll(/<details>/g)].length === [...html.matchAll(/<\/details>/g)].length,
    })
  }
}
process.stdout.write(JSON.stringify(all))
