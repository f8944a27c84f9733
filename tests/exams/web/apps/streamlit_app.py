"""A Streamlit form; the file named by CALLS gets what was handed in."""

import datetime
import json
import os
from pathlib import Path

import streamlit as st

calls = Path(os.environ["CALLS"])


def note(**given):
    with calls.open("a", encoding="utf-8") as out:
        out.write(json.dumps(given, ensure_ascii=False, default=str) + "\n")


st.title("Trip planner")
page = st.sidebar.radio("Page", ["Plan", "Packing", "About"])
if page == "Plan":
    city = st.text_input("City")
    day = st.date_input("Departure", datetime.date(2026, 5, 4))
    means = st.selectbox("Transport", ["Train", "Bus", "Plane", "Ship"])
    people = st.number_input("Travellers", 1, 9, 1)
    interests = st.multiselect("Interests", ["Museums", "Food", "Hiking"])
    nights = st.slider("Nights", 0, 14, 3)
    insured = st.checkbox("Travel insurance")
    if st.button("Book trip"):
        note(city=city, day=day, means=means, people=people, interests=interests, nights=nights, insured=insured)
        st.success(f"Trip to {city} booked")
elif page == "Packing":
    with st.form("packing"):
        thing = st.text_area("What to pack")
        if st.form_submit_button("Save list"):
            note(packed=thing)
            st.success("Saved")
    with st.expander("Advanced options"):
        if st.toggle("Light luggage"):
            note(light=True)
            st.write("Only seven kilos")
else:
    st.write("Version 3.1")
