// SPDX-License-Identifier: GPL-2.0-only
// Decodes lines of OTLP JSON with OpenTelemetry's own messages, and prints how many spans have each name, and how many data points
// each metric. Arguments: the directory of node_modules, a file. Fails if a message is invalid, or loses a member by being decoded.
"use strict";
const assert = require("assert");
const fs = require("fs");
const path = require("path");
const [modules, file] = process.argv.slice(2);
const root = require(path.join(modules, "@opentelemetry/otlp-transformer/build/src/generated/root.js"));
const services = root.opentelemetry.proto.collector;
const ids = new Set(["traceId", "spanId", "parentSpanId"]);

// OTLP's JSON has hexadecimal ids; the JSON of protocol buffers has base64.
function convert(value, name) {
	if (Array.isArray(value))
		return value.map((one) => convert(one));
	if (value && typeof value === "object")
		return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, convert(one, key)]));
	return ids.has(name) ? Buffer.from(value, "hex").toString("base64") : value;
}

function decode(line) {
	const request = convert(JSON.parse(line));
	const Type = request.resourceSpans ? services.trace.v1.ExportTraceServiceRequest : services.metrics.v1.ExportMetricsServiceRequest;
	const message = Type.fromObject(request);
	assert.strictEqual(Type.verify(message), null);
	const decoded = Type.decode(Type.encode(message).finish());
	const back = Type.toObject(decoded, { json: true, longs: String, bytes: String, enums: Number });
	assert.deepStrictEqual(JSON.parse(JSON.stringify(back)), withoutEmpty(request));
	return request;
}

// Empty arrays are not encoded.
function withoutEmpty(value) {
	if (Array.isArray(value))
		return value.map(withoutEmpty);
	if (!value || typeof value !== "object")
		return value;
	const kept = Object.entries(value).filter(([, one]) => !(Array.isArray(one) && one.length === 0));
	return Object.fromEntries(kept.map(([key, one]) => [key, withoutEmpty(one)]));
}

const counts = {};
function count(name, number) {
	counts[name] = (counts[name] || 0) + number;
}

for (const line of fs.readFileSync(file, "utf8").split("\n").slice(0, -1)) {
	const request = decode(line);
	for (const resource of request.resourceSpans || [])
		resource.scopeSpans.forEach((scope) => scope.spans.forEach((span) => count(span.name, 1)));
	for (const resource of request.resourceMetrics || [])
		resource.scopeMetrics.forEach((scope) =>
			scope.metrics.forEach((metric) => count(metric.name, (metric.gauge || metric.sum).dataPoints.length)));
}
console.log(JSON.stringify(counts));
