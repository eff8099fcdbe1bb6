/**
 * Samples of one request in the languages of integrators, without libraries. `{{$guid}}` stands for a key that is new in each
 * request, as Postman and Bruno write it.
 */
import { freshKey } from '../../../platform/http/idempotency-key.ts'

export type Sample = { name: string; fence: string; code: string }

export type Call = {
  method: string
  url: string
  headers: readonly (readonly [name: string, value: string])[]
  body: unknown
}

/** How a language writes null, true and false, a list and an object, and a key that is new in each request. */
type Notation = { words: [string, string, string]; list: string; object: string; pair: string; fresh: string }

const python: Notation = { words: ['None', 'True', 'False'], list: '[]', object: '{}', pair: ': ', fresh: 'str(uuid.uuid4())' }
const php: Notation = {
  words: ['null', 'true', 'false'],
  list: '[]',
  object: '[]',
  pair: ' => ',
  fresh: 'bin2hex(random_bytes(16))',
}
const node: Notation = { words: ['null', 'true', 'false'], list: '[]', object: '{}', pair: ': ', fresh: 'crypto.randomUUID()' }

const singleQuoted = (text: string): string => `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`

function literal(value: unknown, notation: Notation, indent = ''): string {
  const { words, list, object, pair, fresh } = notation
  if (value === freshKey) return fresh
  if (typeof value === 'string') return singleQuoted(value)
  if (value === null || typeof value === 'boolean') return words[value === null ? 0 : value ? 1 : 2]
  if (typeof value !== 'object') return JSON.stringify(value)
  const deeper = `${indent}  `
  const parts = Array.isArray(value)
    ? value.map((one) => literal(one, notation, deeper))
    : Object.entries(value).map(
        ([name, one]) => `${notation === node ? name : singleQuoted(name)}${pair}${literal(one, notation, deeper)}`,
      )
  const [open, close] = Array.isArray(value) ? list : object
  return parts.length === 0 ? `${open}${close}` : `${open}\n${deeper}${parts.join(`,\n${deeper}`)},\n${indent}${close}`
}

export function samplesOf({ method, url, headers, body }: Call): Sample[] {
  const hasBody = body !== undefined
  const json = JSON.stringify(body, null, 2)
  const all = hasBody ? [...headers, ['Content-Type', 'application/json'] as const] : headers
  const lines = (write: (name: string, value: string) => string): string =>
    all.map(([name, value]) => write(name, value)).join('')
  const isFresh = JSON.stringify([headers, body ?? null]).includes(freshKey)
  const shellBody = `'${json?.replaceAll("'", String.raw`'\''`).replaceAll(freshKey, `'"$(openssl rand -hex 16)"'`)}'`
  const goValue = (value: string): string => (value === freshKey ? 'rand.Text()' : `"${value}"`)
  const goBody = `strings.NewReader(\`${json?.replaceAll(freshKey, '` + rand.Text() + `')}\`)`
  return [
    {
      name: 'curl',
      fence: 'sh',
      code: `curl -X ${method} ${shellUrl(url)}${lines((name, value) => ` \\\n  -H "${name}: ${value.replace(freshKey, '$(openssl rand -hex 16)')}"`)}${hasBody ? ` \\\n  -d ${shellBody}` : ''}`,
    },
    {
      name: 'Node',
      fence: 'js',
      code: `const response = await fetch(${singleQuoted(url)}, {
  method: '${method}',
  headers: {${lines((name, value) => `\n    '${name}': ${literal(value, node)},`)}
  },${hasBody ? `\n  body: JSON.stringify(${literal(body, node, '  ')}),` : ''}
})
console.log(response.status, await response.text())`,
    },
    {
      name: 'Python',
      fence: 'python',
      code: `import json, urllib.error, urllib.request${isFresh ? ', uuid' : ''}

request = urllib.request.Request(
  ${singleQuoted(url)},
  method='${method}',
  headers={${lines((name, value) => `\n    '${name}': ${literal(value, python)},`)}
  },${hasBody ? `\n  data=json.dumps(${literal(body, python, '  ')}).encode(),` : ''}
)
try:
  response = urllib.request.urlopen(request)
except urllib.error.HTTPError as refusal:
  response = refusal
print(response.status, response.read().decode())`,
    },
    {
      name: 'PHP',
      fence: 'php',
      code: `<?php
$context = stream_context_create(['http' => [
  'method' => '${method}',
  'header' => [${lines((name, value) => `\n    '${name}: ' . ${literal(value, php)},`)}
  ],${hasBody ? `\n  'content' => json_encode(${literal(body, php, '  ')}),` : ''}
  'ignore_errors' => true,
]]);
echo file_get_contents(${singleQuoted(url)}, false, $context);`,
    },
    {
      name: 'Go',
      fence: 'go',
      code: `package main

import (${isFresh ? '\n\t"crypto/rand"' : ''}
	"io"
	"log"
	"net/http"
	"os"${hasBody ? '\n\t"strings"' : ''}
)

func main() {
	request, err := http.NewRequest("${method}", "${url}", ${hasBody ? goBody : 'nil'})
	if err != nil {
		log.Fatal(err)
	}${lines((name, value) => `\n\trequest.Header.Set("${name}", ${goValue(value)})`)}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	log.Println(response.Status)
	io.Copy(os.Stdout, response.Body)
}`,
    },
  ]
}

const shellUrl = (url: string): string => (/[?&{]/.test(url) ? `'${url}'` : url)
