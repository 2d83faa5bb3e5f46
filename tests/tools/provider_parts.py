#!/usr/bin/env python3
"""Make two documents for provider_check.py of one that the example `export` printed.

usage:  provider_parts.py EXPORT KNOWN OTHERS

KNOWN has the five formats that the checker is for. OTHERS has the rest in shapes that it knows: DeepSeek's tools are
those of OpenAI's Chat Completions, Bedrock's schemas those of Anthropic, and Gemini's second form is Gemini's.
"""
import json, sys

export, known, others = sys.argv[1:]
with open(export, encoding='utf-8') as f: doc = json.load(f)
bedrock = [tool['toolSpec'] for tool in doc['bedrock']]
empty = [spec['name'] for spec in bedrock if not spec['description']]
if empty: sys.exit(f'Bedrock takes no empty description: {empty}')
parts = {
    known: {part: doc[part] for part in ('openai_chat', 'openai_responses', 'anthropic', 'gemini', 'mcp')},
    others: {
        'openai_chat': doc['deepseek'],
        'gemini': doc['gemini_json_schema'],
        'anthropic': [{'name': t['name'], 'description': t['description'], 'input_schema': t['inputSchema']['json']} for t in bedrock],
    },
}
for file, part in parts.items():
    with open(file, 'w', encoding='utf-8') as f: json.dump(part, f)
